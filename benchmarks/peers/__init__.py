"""The same accept-and-process job as most teams would build it: FastAPI, SQLAlchemy's ORM, Celery, Redis, PostgreSQL.

It does less: no scopes, no idempotency, no fairness, no ledger, and a crash between commit and enqueue loses work."""
