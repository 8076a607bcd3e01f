"""The parameters that endpoints share."""

from typing import Annotated

from fastapi import Depends, Path, Query
from pydantic import AwareDatetime

from lithify.events.api import Lang
from workers.gateway.deps import Deps, deps_of
from workers.gateway.scope import ID_LENGTH, TENANT_LENGTH

Parts = Annotated[Deps, Depends(deps_of)]
UserId = Annotated[str, Query(description="The user, as the producer names them.", max_length=ID_LENGTH)]
Tenant = Annotated[str, Query(description="The tenant.", max_length=TENANT_LENGTH)]
SessionId = Annotated[
    str | None, Query(description="The session read from; its own overrides are seen.", max_length=ID_LENGTH)
]
AsOf = Annotated[AwareDatetime | None, Query(description="What was true then. Now by default.")]
KnownAt = Annotated[AwareDatetime | None, Query(description="What was believed then. Now by default.")]
Language = Annotated[Lang, Query(description="Language of sentences.")]
Id = Annotated[str, Path(description="The id.", max_length=ID_LENGTH)]
