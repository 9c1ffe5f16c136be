DROP INDEX `post_categories_post`;--> statement-breakpoint
CREATE INDEX `post_categories_post` ON `post_categories` (`site_id`,`post_id`,`category_id`);--> statement-breakpoint
DROP INDEX `post_tags_post`;--> statement-breakpoint
CREATE INDEX `post_tags_post` ON `post_tags` (`site_id`,`post_id`,`tag_id`);