"""From transcripts on disk to sessions in the memory: discover, read, extract, write what changed."""
