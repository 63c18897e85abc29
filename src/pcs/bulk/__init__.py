"""Catalogues of millions of products, as Arrow tables and Parquet files. The trap: a run of hours that starts over;
what was answered is kept, block by block, and a run that was ended goes on after it.

Needs pyarrow: `pip install 'pcs[parquet]'`.
"""
