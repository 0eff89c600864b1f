"""Words that are written like names and are none: of the calendar, places, people, headings, generic initials."""

# Words that no name consists of; in small letters.
_COMMON = """
a an and are as at be but by can could did do does for from had has have he her his how i if in into is it its let may
me my no nope not of off ok okay on one or our out she should so some that the their them then there these they this
those to too up us was we were what when where which who why will with would yes you your about after again all also
although always another any anyway because before both done each either else even every everything few first finally
good great here however instead just last later less maybe more most much neither never new next none nothing now old
once only other otherwise per please second since still such sure than thanks third though thus today tomorrow tonight
two three four under until very via well while whole without yesterday yet right left

monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april june
july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec christmas easter
new-year utc gmt cet cest est pst am pm

english german french spanish italian dutch portuguese polish swedish norwegian danish finnish russian ukrainian turkish
greek arabic hebrew hindi chinese japanese korean latin american british irish scottish european asian african western
eastern northern southern germany france spain italy netherlands holland portugal poland sweden norway denmark finland
russia ukraine turkey greece china japan korea india brazil mexico canada australia austria switzerland belgium ireland
scotland england wales britain iceland america europe asia africa usa uk eu us london paris berlin madrid rome amsterdam
vienna zurich munich hamburg lisbon dublin oslo stockholm copenhagen helsinki warsaw prague budapest athens moscow kyiv
istanbul tokyo beijing shanghai delhi mumbai sydney toronto boston chicago york francisco seattle

option phase step plan part chapter section table figure appendix version stage task variant scenario case level line
page day week month year quarter sprint milestone release draft note notes warning error fatal info debug todo fixme
hack decision decisions question questions answer summary overview background context goal goals scope risk risks pros
cons next steps status result results changes changed added removed fixed tests testing test deprecated unreleased
default required optional true false null none nil undefined nan yes-no id uuid guid name type types value values key
keys file files folder directory path user users admin customer team ticket issue bug feature request response code docs
documentation readme changelog license makefile dockerfile config settings data model models view views controller
service services client server backend frontend api apis app apps database cache queue job jobs worker workers module
modules package packages library libraries framework component components class classes function functions method
methods interface struct enum field fields column columns row rows tables index query queries schema migration
migrations script scripts command commands flag flags build builds pipeline deploy deployment production prod staging
dev development local main master branch commit commits merge rebase pull push diff patch review pr prs mr head origin
upstream ctrl shift alt enter tab esc escape delete home end save cancel edit open close back ok submit search filter
filters sort import export login logout menu button dialog modal screen header footer sidebar title label text image
icon color colour red green blue black white light dark mode theme north south east west mrs ms dr prof sir god internet
web email mail phone street road bank board company office school university museum church hospital world earth approved
rejected accepted final cooking read write bash grep glob multiedit todowrite websearch webfetch toolsearch skill agent
agents list lists array map set string int integer float bool boolean object number numbers date time datetime timestamp
timezone buffer stream thread process node edge graph tree root leaf parent child
"""
COMMON = frozenset(_COMMON.split())

# Initials that everybody uses and nobody means as a topic.
_INITIALS = """
API APIS URL URLS URI JSON JSONL YAML TOML XML HTML CSS CSV TSV PDF SVG PNG JPG JPEG GIF HTTP HTTPS FTP SQL NOSQL TCP
UDP IP LAN WAN VPN NAT DHCP CPU GPU RAM ROM SSD HDD NVME USB HDMI TODO FIXME XXX NOTE PR PRS MR CI CD UI UX GUI CLI TUI
IDE SDK DOM MVP MVC MVVM ORM CRUD REST RPC SOAP CDN DDD TDD BDD DRY KISS YAGNI SOLID LGTM WIP ETA FAQ FYI IMO IMHO ASAP
AFAIK TLDR TBD TBA EOF EOL EOD ISO UTC GMT CET EST ASCII UTF UUID GUID SHA MD HMAC AES RSA PKI CSR PEM KPI OKR ROI SLA
SLO SLI RTO RPO SRE QA UAT GDPR VAT IBAN BIC EUR USD GBP JPY CHF NULL NAN INF NIL TRUE FALSE YES NOT AND OR ALL ANY NONE
ONLY MUST NEVER ALWAYS SHOULD WARNING ERROR FATAL INFO DEBUG TRACE WARN PASS FAIL FAILED PASSED SKIP GET PUT POST HEAD
PATCH DELETE OPTIONS SELECT INSERT UPDATE FROM WHERE JOIN ORDER GROUP TABLE INDEX VIEW BEGIN COMMIT ROLLBACK PRIMARY KEY
FOREIGN UNIQUE CREATE ALTER DROP INTO VALUES LIMIT ENV PATH HOME USER ROOT HOST PORT BOM BSS RGB RGBA HSL CMYK FPS FFT
DSP RMS LED LCD OLED PCB ADC DAC PWM GPIO ISR IRQ DMA RTC MCU SOC ABI AST IR JIT AOT GC VM VMS OS OOM ACL RBAC MFA SSO
SSR SSG SPA PWA CSP XSS LLM LLMS NLP OCR TTS STT RAG GAN CNN RNN MLP SGD MSE MAE RMSE AUC ROC PCA KNN SVM ETL ELT OLAP
OLTP DAG FIFO LIFO LRU TTL RTT WAL MVCC ACID BASE CAP PVC SLURP DNA RNA SNP SNPS PCR GPS FOV NPC NPCS HUD RPG HTTP2
HTTP3 ADR RFC EULA MIT BSD GPL AGPL LGPL APACHE FOO BAR BAZ ABC XYZ AAA BBB UPPERCASE BOTH EVERY WHY WHAT HOW WHEN THIS
THAT THE ONE TWO NEW OLD BIG HUGE STOP WAIT PLEASE HELP OKAY DONE OPEN CLOSED IMPORTANT CRITICAL HIGH LOW MEDIUM
"""
INITIALS = frozenset(_INITIALS.split())

# Endings of names that code alone bears.
CODE_ENDINGS = (
    *(
        "Error",
        "Exception",
        "Test",
        "Tests",
        "Spec",
        "Props",
        "Impl",
        "Dto",
        "DTO",
        "Factory",
        "Builder",
        "Handler",
        "Enum",
    ),
    *(
        "Controller",
        "Mapper",
        "Wrapper",
        "Interface",
        "Mixin",
        "Request",
        "Response",
        "Context",
        "Listener",
        "Callback",
    ),
    *(
        "Button",
        "Modal",
        "Dialog",
        "Screen",
        "Args",
        "Options",
        "Params",
        "Config",
        "State",
        "Event",
        "Type",
        "Id",
        "ID",
    ),
)

# Words before a person's name, and words after it.
_TO_PEOPLE = """
ask asked asking tell told telling thanks thank hi hello hey dear cc ping pinged mr ms mrs dr prof colleague brother
sister wife husband boss manager mum dad mother father friend cousin uncle aunt son daughter remind reminded email
emailed mailed bother invite invited meet met owes
"""
TO_PEOPLE = frozenset(_TO_PEOPLE.split())
_SPEECH = """
says said asks asked wants wanted thinks thought tells told suggests suggested wrote writes mentioned prefers likes
noticed reported complained complains agreed agrees reviewed approved hates loves insists knows worries decided replied
answered promised believes sent
"""
SPEECH = frozenset(_SPEECH.split())

# Given names that are seldom anything else.
_FIRST_NAMES = """
Aaron Adam Adrian Agnes Ahmed Aisha Alan Albert Alejandro Alex Alexander Alexandra Alice Alicia Amara Amelia Amina Amit
Amy Ana Anders Andrea Andreas Andrew Andrzej Angela Anita Anja Ann Anna Anne Annika Antoine Anton Antonio Arjun Arne
Arthur Astrid Aurelie Barbara Beatriz Ben Benjamin Bernd Bert Birgit Bjorn Bob Brian Bruno Camille Carl Carla Carlos
Carmen Caroline Catherine Cecilia Celine Charles Charlotte Chen Chiara Chloe Chris Christian Christina Christine Claire
Clara Claudia Colin Connor Craig Dan Daniel Daniela David Dave Deborah Denis Dennis Diana Diego Dieter Dirk Dominik
Donna Dorota Edward Eileen Elena Eleanor Elisa Elizabeth Ella Ellen Emil Emily Emma Eric Erik Esther Eva Fabian Fatima
Felix Fernando Fiona Florian Frances Francesca Francesco Francis Frank Franz Fred Frederik Gabriel Gareth Gary George
Georg Gerard Giulia Giovanni Grace Graham Greg Greta Guillaume Gustav Hanna Hannah Hannes Hans Harald Harry Hassan
Heather Heidi Heike Helen Helena Helga Henrik Henry Hiroshi Hugo Ian Ibrahim Igor Ines Ingrid Irene Isabel Isabella Ivan
Jack Jakob Jakub James Jan Jana Jane Janet Jasmin Javier Jean Jeff Jennifer Jens Jeremy Jessica Jim Joanna Joao Joe Joel
Johan Johanna Johannes John Jon Jonas Jonathan Jordi Jorge Jose Josef Joseph Joshua Juan Judith Juergen Jules Julian
Julie Jurgen Kai Karen Karin Karl Kasper Kate Katharina Katie Katrin Keith Kenji Kevin Klaus Kofi Konrad Kristina Lars
Laura Laurent Lea Lena Leo Leon Leonie Lina Linda Lisa Liz Lotte Louis Louise Lukas Luca Lucas Lucy Luis Luisa Lukasz
Magda Magnus Malin Manuel Marc Marco Marcus Margaret Maria Marie Marina Mario Mark Markus Marta Martha Martin Martina
Mary Mateo Mathias Matt Matteo Matthew Matthias Maximilian Mei Mehmet Melanie Mia Michael Michal Michelle Miguel Mike
Mikael Mila Mohamed Mohammed Monica Monika Moritz Nadia Nancy Natalie Natasha Neil Niamh Nick Nicola Nicolas Nicole
Nikolai Niklas Nils Nina Noah Noor Nora Nuria Olaf Ole Olga Oliver Olivia Olivier Omar Oscar Otto Pablo Patricia Patrick
Paul Paula Paulo Pavel Pedro Peter Petra Philip Philippe Pia Pierre Piet Piotr Priya Rachel Rafael Ragnhild Rahul Rainer
Ralf Raj Rebecca Renate Ricardo Richard Rita Rob Robert Roberto Robin Roger Roland Rosa Rosie Roman Ruth Ryan Sabine
Sally Sam Samantha Samuel Sandra Sara Sarah Satoshi Sean Sebastian Sergio Simon Simone Sofia Sofie Sophia Sophie Stefan
Stefanie Stephanie Stephen Steve Steven Sue Susan Susanne Sven Sylvia Tamara Tanja Tatiana Teresa Theo Theresa Thomas
Tim Tina Tobias Tom Tomas Tomasz Tony Torsten Tova Ulrich Ulrike Ursula Uwe Valentina Valerie Vera Victor Victoria
Viktor Vincent Walter Wei Werner Will William Wolfgang Xavier Yan Yasmin Yuki Yusuf Yvonne Zoe
"""
FIRST_NAMES = frozenset(_FIRST_NAMES.split())
