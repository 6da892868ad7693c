"""What the corpus exercises: requirements, versions, types and forms, and the known gaps."""
