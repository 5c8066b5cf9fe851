"""What an office's network is read from: Suricata's logs, and NetBox."""
