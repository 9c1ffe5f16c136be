ALTER TABLE `idempotency_keys` ADD `store_id` text;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `store_seq` integer;--> statement-breakpoint
ALTER TABLE `mails` ADD `store_seq` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `store_seqs` text;