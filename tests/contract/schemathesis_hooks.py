"""What Schemathesis cannot know from the document: which addresses webhooks may go to. Loaded by its command."""

import schemathesis
from hypothesis import strategies as st

HOSTS = ["example.com", "hooks.example.org:8443", "a-b.example.net", "93.184.215.14"]
PATHS = ["", "/", "/hooks/pcs", "/a/b?c=d"]

schemathesis.openapi.format("uri", st.builds("https://{}{}".format, st.sampled_from(HOSTS), st.sampled_from(PATHS)))
