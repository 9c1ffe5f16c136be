ALTER TABLE `purges` ADD `store_seq` integer;--> statement-breakpoint
ALTER TABLE `stores` ADD `provisioning_since` integer;