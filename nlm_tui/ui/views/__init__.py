"""What the search screen lists: sessions, decisions, open questions, topics, facts, a timeline."""
