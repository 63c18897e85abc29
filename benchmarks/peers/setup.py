"""Makes the peer's tables and one key. Run as a script with the key's digest: models read their address at import."""

import sys

from benchmarks.peers.model import Base, Key, Session, engine

Base.metadata.create_all(engine)
with Session() as session:
    session.add(Key(digest=sys.argv[1], organization="bench"))
    session.commit()
