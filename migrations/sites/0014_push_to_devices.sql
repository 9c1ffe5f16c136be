CREATE TABLE `push_accounts` (
	`site_id` text PRIMARY KEY NOT NULL,
	`enabled` integer NOT NULL,
	`project_id` text NOT NULL,
	`client_email` text NOT NULL,
	`token_uri` text NOT NULL,
	`private_key` text NOT NULL,
	`configured_at` integer NOT NULL,
	`access_token` text,
	`access_token_until` integer
);
--> statement-breakpoint
CREATE TABLE `push_claims` (
	`site_id` text NOT NULL,
	`notification_id` integer NOT NULL,
	`due_at` integer NOT NULL,
	`device_id` integer NOT NULL,
	`attempts` integer NOT NULL,
	`run` text,
	PRIMARY KEY(`site_id`, `notification_id`, `due_at`, `device_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `push_failures` (
	`site_id` text NOT NULL,
	`notification_id` integer NOT NULL,
	`reason` text NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`site_id`, `notification_id`, `reason`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `notification_recipients` ADD `delivered_at` integer;--> statement-breakpoint
ALTER TABLE `notifications` ADD `filled_at` integer;--> statement-breakpoint
ALTER TABLE `notifications` ADD `devices` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `notifications` ADD `last_device` integer;--> statement-breakpoint
ALTER TABLE `notifications` ADD `reached_device` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `notifications` ADD `proven` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `notifications` ADD `refusals` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `notifications` ADD `sent_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `notifications` ADD `failed_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `notifications` ADD `stop` text;--> statement-breakpoint
ALTER TABLE `notifications` ADD `push_note` text;--> statement-breakpoint
ALTER TABLE `notifications` ADD `delivered_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `device_tokens_site` ON `device_tokens` (`site_id`,`id`);--> statement-breakpoint

-- What was sent before there were pushes is in every inbox that it was for, and went to no device.
UPDATE `notifications` SET `filled_at` = `sent_at`, `push_note` = 'not_set_up' WHERE `status` = 'sent';
--> statement-breakpoint

-- A recipient is told once that its app has it, in the own counts of the notification.
CREATE TRIGGER `notification_recipients_delivered` AFTER UPDATE OF `delivered_at` ON `notification_recipients`
  WHEN OLD.`delivered_at` IS NULL AND NEW.`delivered_at` IS NOT NULL BEGIN
  UPDATE `notifications` SET `delivered_count` = `delivered_count` + 1 WHERE `id` = NEW.`notification_id`;
END;
