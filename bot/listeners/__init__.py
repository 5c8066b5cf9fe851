"""What happens after the acknowledgement, one file a kind: ring the workers, or say why not."""
