"""Events of a Kubernetes cluster, read only: of its API and of files."""
