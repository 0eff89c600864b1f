"""How Ollama is asked, whatever for: where it is, what its failures mean, what its models can do."""
