ALTER TABLE `products` ADD `images` text;--> statement-breakpoint
ALTER TABLE `products` ADD `seo_title` text;--> statement-breakpoint
ALTER TABLE `products` ADD `seo_description` text;
--> statement-breakpoint
DROP TRIGGER `products_version_update`;
--> statement-breakpoint
CREATE TRIGGER `products_version_update` AFTER UPDATE OF `slug`, `name`, `description`, `image`, `images`, `seo_title`, `seo_description`, `price_cents`, `currency`, `status`, `created_at` ON `products` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
