ALTER TABLE `license_products` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `license_versions` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `licenses` ADD `revision` integer DEFAULT 1 NOT NULL;