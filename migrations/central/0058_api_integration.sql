ALTER TABLE `api_keys` ADD `store_ids` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `store_seqs` text;--> statement-breakpoint
ALTER TABLE `plans` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `site_settings` ADD `cors_origins` text;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_updated` ON `webhook_endpoints` (`updated_at`);--> statement-breakpoint
CREATE INDEX `coupons_updated` ON `coupons` (`updated_at`);--> statement-breakpoint
CREATE INDEX `stores_updated` ON `stores` (`updated_at`);--> statement-breakpoint
INSERT INTO `counters` SELECT 'api_keys', '', count(*) FROM `api_keys`;
--> statement-breakpoint
CREATE TRIGGER `api_keys_count_insert` AFTER INSERT ON `api_keys` BEGIN
  INSERT INTO `counters` VALUES ('api_keys', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `api_keys_count_delete` AFTER DELETE ON `api_keys` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'api_keys' AND `filter` = '';
END;
--> statement-breakpoint
INSERT INTO `counters` SELECT 'coupons', '', count(*) FROM `coupons`;
--> statement-breakpoint
CREATE TRIGGER `coupons_count_insert` AFTER INSERT ON `coupons` BEGIN
  INSERT INTO `counters` VALUES ('coupons', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `coupons_count_delete` AFTER DELETE ON `coupons` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'coupons' AND `filter` = '';
END;
