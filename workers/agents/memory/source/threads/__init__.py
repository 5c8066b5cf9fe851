"""What is made of the threads that a person keeps: entries are sought, threads summed up and synced."""
