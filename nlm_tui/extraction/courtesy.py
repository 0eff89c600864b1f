"""What people say without saying anything: greetings, thanks, and the frames in which they put a request."""

import re

_HELLO = (
    r"hi+(?: there)?|hello+|hey+(?: there)?|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day)|dear \w+"
    r"|hallo|moin|servus|guten (?:morgen|tag|abend)|hola|buenas(?: tardes| noches)?|buenos d[ií]as|bonjour"
    r"|bonsoir|salut"
    r"|ciao|buongiorno|olá|bom dia|boa tarde|hoi|goedemorgen|hej|こんにちは|こんばんは|おはようございます"
    r"|お疲れ様です|お世話になっております|你好|您好|안녕하세요|привет|здравствуйте"
)
_GREETING = re.compile(
    rf"(?:{_HELLO})(?:,? (?:all|everyone|everybody|again|team|folks|claude|codex|gemini|copilot|friend|mate))?"
    r"(?:\s*[,.!:;。\uff01、\uff0c\u2013\u2014-]+\s*|\s+|$)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:ok(?:ay)?|so|well|alright|all right|um+|uh+|hmm+|and|but|also|please|pls|plz|just|actually|basically|yeah"
    r"|bitte|por favor|s'il (?:te|vous) pla[iî]t|per favore|alsjeblieft)\b[,.!:;]*\s+"
    r"|(?:just )?a quick (?:one|question)\b[,.!:;]*(?:\s+|$)"
    r"|(?:right|now|yes|yep|no|great|perfect|nice|cool|first|next|today|sorry|thanks|thank you|good|sure|then|quick"
    r"|quick question|next topic|new (?:feature|task|topic)|one more thing|first of all"
    r"|symptom|problem|task|goal|context|background|the situation is|the thing is|i mean|i think)[,.!:;]+\s+",
    re.IGNORECASE,
)
_WHO = r"(?:i|we|u|you)"
_FRAME = re.compile(
    r"(?:"
    r"(?:can|could|would|will|can't|couldn't) (?:you|we|u|i)(?: all)?(?: (?:please|kindly|maybe|perhaps"
    r"|possibly|also|just|now))*"
    rf"|{_WHO}(?:'d| would)(?: (?:really|also|rather|very much|now))*(?: (?:like|love|want|prefer|need"
    rf"|appreciate))(?: it)?"
    r"(?: if)?(?: (?:you|us))?(?: could)?(?: to)?"
    r"|(?:(?:i|we) )?(?:(?:really|also|now|just|still|actually) )*(?:want|need|have|wanted|hope|wish)(?: (?:you"
    r"|us))?(?: can| could)? to"
    r"|i hope (?:that )?you can|i was wondering (?:if|whether) (?:you|we) could|would you mind|do you think you could"
    r"|(?:i|we)(?:'m| am|'re| are) (?:(?:now|currently|just|still) )*(?:trying|going|looking|hoping|planning"
    r"|about) to"
    r"|(?:would it be|is it) possible to|it would be (?:great|nice|good|lovely|cool)(?: if (?:you|we) could| to)?"
    r"|let's|let us|lets|go ahead and|your (?:task|job) is to|(?:my|our|the) (?:task|goal|idea|aim|job|plan) is to"
    r"|(?:the )?(?:thing|problem|situation|issue|reason|point) is(?: that)?|it (?:seems|looks like"
    r"|turns out)(?: that)?"
    r"|(?:the )?\w+(?: \w+)? (?:has|have)(?: just)? (?:reported|told us|told me|said|noticed|complained"
    r"|found)(?: that)?"
    r"|time to|be so kind (?:as )?to|feel free to|i think (?:that )?(?:we|you|i)(?: should| want"
    r"| need)?(?: to)?|we should|you should"
    r"|help(?: me| us)?(?: to| with)?|please|pls|kindly|start by|begin by|(?:go|come) and"
    r"|(?:kannst|könntest|würdest) du(?: mir)?(?: bitte| mal)*|können (?:sie|wir)(?: bitte)?"
    r"|ich (?:möchte|will|würde gerne?)|wir (?:wollen|möchten|brauchen|müssen)|ich brauche"
    r"|(?:puedes|podrías|podrias|quiero|quisiera|necesito|me gustaría|querría|vamos a)(?: que)?"
    r"|(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|je (?:veux|voudrais)|j'aimerais|il faut|on doit)"
    r"|(?:puoi|potresti|vorrei|voglio)|(?:você pode|pode|gostaria de|quero|preciso)|(?:kun je|wil je|ik wil)"
    r")[,]?\s+",
    re.IGNORECASE,
)
_QUEST = re.compile(
    r"(?:figure out|find out|work out|track down|investigate|look into|check|see|tell me|explain(?: to me"
    r"| to us)?|understand"
    r"|know|look at|show me|think about|diagnose)\s+(?=(?:why|how|what|which|where|whether|when|who)\b)",
    re.IGNORECASE,
)
_LOOK = re.compile(
    r"(?:(?:have|take) (?:another |a (?:quick |close |good )?)?look (?:at|into|for)|look (?:at|into)|figure out"
    r"|find out(?: about)?"
    r"|talk (?:about|through)|think (?:about|through)|(?:(?:build|work|mak)ing on|working on|work on)"
    r"|(?:i|we)(?:'ve|'m| have| am| are|'re)?(?: (?:now|also|currently))*"
    r" (?:building|working on|making|writing|having (?:a problem|an issue|trouble|problems|issues) with|seeing"
    r"|getting|get|see"
    r"|need|want|have got|got|have|noticed)(?: (?:now|also))?(?: (?:a|an|some) (?:weird |strange |small "
    r"|big )?(?:problem|issue|question)s? (?:with|about|on))?"
    r"|(?:need|want)|there(?:'s| is| are|s)|tengo (?:un|una) (?:l[ií]o|problema|duda|error) (?:con|en|sobre)"
    r"|it(?:'s| is) about|this is about|do something about|deal with)\s+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,;.\u2013\u2014-]+(?:please|pls|plz|thanks|thank you|thx|ta|for me|for us|asap|if possible|if you can"
    r"|ok|okay|right|then|again"
    r"|would you|could you|bitte|danke|gracias|por favor|merci|ください|お願いします)\s*$",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:(?<=たい)と思います|(?<=たい)です|てください|て下さい|をお願いします|お願いします|していただけますか|してもらえますか|でしょうか|ですか|です|します)$"
)
_EMPTY = (
    rf"(?:{_HELLO}|thanks?(?: you)?(?: (?:so|very) much| a lot| kindly)?|thank u|thx+|ty|ta|cheers|k+|ok(?:ay|ey)?"
    r"|yes|yep|yeah|yup|y|n|no|nope|sure|right"
    r"|nvm|never ?mind|stop|cancel(?: that)?|abort|wait|oops|sorry|forget it|quit|exit|bye|good ?bye|later|done"
    r"|continue|go on|go ahead|proceed"
    r"|keep going|carry on|retry|try again|next|resume|again|test(?:ing)?|ping|perfect|great|nice|cool|awesome"
    r"|lovely|good|super|wow"
    r"|please|pls|there|all|everyone|claude|codex|again|that's (?:all|it)|thats (?:all|it)|got it|works?"
    r"|it works|are you there|you there|anyone there|do it|ok do it"
    r"|look at this|see (?:this|here|above|below|attached)|what about this|this|here|that was quick|good job"
    r"|well done|wrong (?:window|terminal|tab|folder|repo|project|directory)"
    r"|danke(?: dir| schön)?|bitte|ja|nein|weiter|gracias|vale|sí|si|merci|oui|non|grazie|obrigad[oa]|dank je|bedankt"
    r"|ありがとうございます|ありがとう|はい|続けて|谢谢|好的|继续|감사합니다|спасибо)(?!\w)"
)
_BETWEEN = r"(?:\[(?:image|request interrupted)\b[^\[\]\n]{0,80}\]|\W)*+"
_COURTESY = re.compile(rf"{_BETWEEN}(?:{_EMPTY}{_BETWEEN})*+", re.IGNORECASE)
_LONGEST_COURTESY = 200


def without_courtesy(sentence: str) -> str:
    """Return what a sentence asks for, without greeting, fillers, the frame of a request, and thanks."""
    text, before = sentence, ""
    while text != before:
        before = text
        for pattern in (_GREETING, _FILLER, _FRAME, _QUEST):
            text = pattern.sub("", text, count=1) if pattern.match(text) else text
    text = _LOOK.sub("", text, count=1) if _LOOK.match(text) else text
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return _POLITE.sub("", text.rstrip(" 。.!\uff01?\uff1f"))


def is_courtesy(text: str) -> bool:
    """Return whether a prompt holds nothing but greetings, thanks, consent, and marks of images or interruptions."""
    if len(text) > _LONGEST_COURTESY:
        return False
    return _COURTESY.fullmatch(text) is not None
