"""Changes of feature flags, read only: of LaunchDarkly's audit log and of Unleash's events."""
