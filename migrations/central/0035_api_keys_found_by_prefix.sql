CREATE INDEX `api_keys_prefix` ON `api_keys` (`key_prefix`);--> statement-breakpoint
CREATE INDEX `api_keys_expiring` ON `api_keys` (`expires_at`) WHERE revoked_at is null;