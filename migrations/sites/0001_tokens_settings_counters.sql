CREATE TABLE `counters` (
	`site_id` text NOT NULL,
	`list` text NOT NULL,
	`filter` text NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`site_id`, `list`, `filter`)
);
--> statement-breakpoint
CREATE TABLE `user_settings` (
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`biometric_enabled` integer NOT NULL,
	`notification_enabled` integer NOT NULL,
	`language` text NOT NULL,
	`currency` text NOT NULL,
	`theme` text NOT NULL,
	`timezone` text NOT NULL,
	PRIMARY KEY(`site_id`, `user_id`)
);
--> statement-breakpoint
CREATE TABLE `mailed_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`hash` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mailed_tokens_hash_unique` ON `mailed_tokens` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `mailed_tokens_user` ON `mailed_tokens` (`site_id`,`user_id`,`purpose`);--> statement-breakpoint
CREATE TABLE `user_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `user_tokens_user` ON `user_tokens` (`site_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `media_files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`folder_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`path` text NOT NULL,
	`size` integer NOT NULL,
	`mime_type` text NOT NULL,
	`etag` text NOT NULL,
	`trashed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `media_files_path` ON `media_files` (`site_id`,`path`);--> statement-breakpoint
CREATE UNIQUE INDEX `media_files_name` ON `media_files` (`site_id`,`folder_id`,`name_key`) WHERE trashed_at is null;--> statement-breakpoint
CREATE INDEX `media_files_folder` ON `media_files` (`site_id`,`folder_id`);--> statement-breakpoint
CREATE INDEX `media_files_trashed` ON `media_files` (`site_id`,`trashed_at`) WHERE trashed_at is not null;--> statement-breakpoint
CREATE TABLE `media_folders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`parent_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`slug` text NOT NULL,
	`trashed_at` integer,
	`removed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `media_folders_name` ON `media_folders` (`site_id`,`parent_id`,`name_key`) WHERE trashed_at is null and removed_at is null;--> statement-breakpoint
CREATE INDEX `media_folders_parent` ON `media_folders` (`site_id`,`parent_id`);--> statement-breakpoint
CREATE INDEX `media_folders_trashed` ON `media_folders` (`site_id`,`trashed_at`) WHERE trashed_at is not null;--> statement-breakpoint
CREATE INDEX `media_folders_removed` ON `media_folders` (`removed_at`) WHERE removed_at is not null;--> statement-breakpoint
CREATE TABLE `media_orphans` (
	`site_id` text NOT NULL,
	`path` text NOT NULL,
	`due_at` integer NOT NULL,
	`swept_at` integer,
	PRIMARY KEY(`site_id`, `path`)
);
--> statement-breakpoint
CREATE INDEX `media_orphans_due` ON `media_orphans` (`due_at`);--> statement-breakpoint
CREATE TABLE `pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`content` text NOT NULL,
	`image` text,
	`template` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pages_slug` ON `pages` (`site_id`,`slug`);--> statement-breakpoint
CREATE INDEX `pages_id` ON `pages` (`site_id`,`status`);--> statement-breakpoint
CREATE INDEX `pages_created` ON `pages` (`site_id`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `pages_updated` ON `pages` (`site_id`,`status`,`updated_at`);--> statement-breakpoint
CREATE INDEX `pages_name` ON `pages` (`site_id`,`status`,`name_key`);--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`parent_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_slug` ON `categories` (`site_id`,`slug`);--> statement-breakpoint
CREATE INDEX `categories_id` ON `categories` (`site_id`);--> statement-breakpoint
CREATE INDEX `categories_parent` ON `categories` (`site_id`,`parent_id`);--> statement-breakpoint
CREATE INDEX `categories_created` ON `categories` (`site_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `categories_updated` ON `categories` (`site_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `categories_name` ON `categories` (`site_id`,`name_key`);--> statement-breakpoint
CREATE TABLE `post_categories` (
	`site_id` text NOT NULL,
	`category_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	PRIMARY KEY(`site_id`, `category_id`, `post_id`)
);
--> statement-breakpoint
CREATE INDEX `post_categories_post` ON `post_categories` (`site_id`,`post_id`);--> statement-breakpoint
CREATE TABLE `post_tags` (
	`site_id` text NOT NULL,
	`tag_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	PRIMARY KEY(`site_id`, `tag_id`, `post_id`)
);
--> statement-breakpoint
CREATE INDEX `post_tags_post` ON `post_tags` (`site_id`,`post_id`);--> statement-breakpoint
CREATE TABLE `posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`content` text NOT NULL,
	`image` text,
	`status` text NOT NULL,
	`is_featured` integer NOT NULL,
	`author_id` integer,
	`search_text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `posts_slug` ON `posts` (`site_id`,`slug`);--> statement-breakpoint
CREATE INDEX `posts_id` ON `posts` (`site_id`,`status`);--> statement-breakpoint
CREATE INDEX `posts_created` ON `posts` (`site_id`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `posts_updated` ON `posts` (`site_id`,`status`,`updated_at`);--> statement-breakpoint
CREATE INDEX `posts_name` ON `posts` (`site_id`,`status`,`name_key`);--> statement-breakpoint
CREATE INDEX `posts_featured` ON `posts` (`site_id`,`status`) WHERE is_featured = 1;--> statement-breakpoint
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_slug` ON `tags` (`site_id`,`slug`);--> statement-breakpoint
CREATE INDEX `tags_id` ON `tags` (`site_id`);--> statement-breakpoint
CREATE INDEX `tags_created` ON `tags` (`site_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `tags_updated` ON `tags` (`site_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `tags_name` ON `tags` (`site_id`,`name_key`);