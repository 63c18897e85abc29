"""Where Alembic starts: it is run as a script, with the connection that `pcs.base.migrate` opened."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()
