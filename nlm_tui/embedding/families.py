"""What embedding models want before their texts, and how much text they take: from the models' cards."""

import re
from typing import Final, NamedTuple

_SEARCHING: Final = "Represent this sentence for searching relevant passages: "
_QWEN_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"


class Family(NamedTuple):
    """Models that are asked alike. `scheme` names the two prefixes: other prefixes, other name.

    `characters` is what fits into the model at two to three characters a token, which is what code and paths come to.
    """

    scheme: str = "plain-1"
    document: str = ""
    query: str = ""
    characters: int = 1_000


_UNKNOWN: Final = Family()
# The first that matches the beginning of a model's name.
_FAMILIES: Final[tuple[tuple[str, Family], ...]] = (
    (r"nomic-embed-code", Family("nomic-code-1", "", "Represent this query for searching relevant code: ", 3_000)),
    (r"nomic.*-v2", Family("nomic-1", "search_document: ", "search_query: ", 1_000)),
    (r"nomic", Family("nomic-1", "search_document: ", "search_query: ", 3_000)),
    (r"mxbai-embed", Family("searching-1", "", _SEARCHING, 1_000)),
    (r"embedding-?gemma", Family("gemma-1", "title: none | text: ", "task: search result | query: ", 3_000)),
    (r"qwen3-embedding", Family("qwen3-1", "", f"Instruct: {_QWEN_TASK}\nQuery: ", 3_000)),
    (r"snowflake-arctic-embed(2|.*-v2)", Family("query-1", "", "query: ", 3_000)),
    (r"snowflake-arctic-embed", Family("searching-1", "", _SEARCHING, 1_000)),
    (r"all-minilm", Family(characters=500)),
    (r"bge-m3", Family(characters=3_000)),
    (r"granite-embedding", Family(characters=1_000)),
)


def family_of(model: str) -> Family:
    """Return how `model`, named as in `ollama list`, is to be asked; a name may have a host, an owner and a tag."""
    name = model.casefold().rpartition("/")[2].partition(":")[0]
    return next((family for pattern, family in _FAMILIES if re.match(pattern, name)), _UNKNOWN)
