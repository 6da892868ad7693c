"""What the corpus exercises: requirements, versions, types and forms, and which gaps are owed."""
