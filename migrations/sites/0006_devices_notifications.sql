CREATE TABLE `device_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`user_id` integer,
	`token` text NOT NULL,
	`platform` text,
	`device_id` text,
	`app_version` text,
	`is_active` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_tokens_token` ON `device_tokens` (`site_id`,`token`);--> statement-breakpoint
CREATE UNIQUE INDEX `device_tokens_device` ON `device_tokens` (`site_id`,`device_id`);--> statement-breakpoint
CREATE INDEX `device_tokens_user` ON `device_tokens` (`site_id`,`user_id`,`is_active`);--> statement-breakpoint
CREATE INDEX `device_tokens_platform` ON `device_tokens` (`site_id`,`platform`,`is_active`,`user_id`);--> statement-breakpoint
CREATE TABLE `notification_recipients` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`notification_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`type` text NOT NULL,
	`read_at` integer,
	`clicked_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notification_recipients_once` ON `notification_recipients` (`notification_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `notification_recipients_inbox` ON `notification_recipients` (`site_id`,`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `notification_recipients_type` ON `notification_recipients` (`site_id`,`user_id`,`type`,`id`);--> statement-breakpoint
CREATE INDEX `notification_recipients_unread` ON `notification_recipients` (`site_id`,`user_id`,`id`) WHERE "read_at" is null;--> statement-breakpoint
CREATE INDEX `notification_recipients_unread_type` ON `notification_recipients` (`site_id`,`user_id`,`type`,`id`) WHERE "read_at" is null;--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`title` text NOT NULL,
	`message` text NOT NULL,
	`type` text NOT NULL,
	`action_url` text,
	`image_url` text,
	`data` text,
	`target` text NOT NULL,
	`status` text NOT NULL,
	`scheduled_at` integer,
	`sent_at` integer,
	`reached_user` integer DEFAULT 0 NOT NULL,
	`recipients` integer DEFAULT 0 NOT NULL,
	`read_count` integer DEFAULT 0 NOT NULL,
	`clicked_count` integer DEFAULT 0 NOT NULL,
	`created_by_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `notifications_site` ON `notifications` (`site_id`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_due` ON `notifications` (`status`,`scheduled_at`);--> statement-breakpoint
CREATE INDEX `notifications_stalled` ON `notifications` (`status`,`updated_at`);--> statement-breakpoint
CREATE INDEX `users_site` ON `users` (`site_id`,`id`);