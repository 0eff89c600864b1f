"""One reader per runtime: transcript -> what a session is made of."""
