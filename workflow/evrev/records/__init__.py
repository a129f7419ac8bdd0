"""Records: eICU tables in, Parquet out."""
