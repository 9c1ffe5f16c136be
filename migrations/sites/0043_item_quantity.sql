-- Product pages also show the largest quantity per order, so a change of it is a new version of the content
DROP TRIGGER `shop_settings_version_insert`;
--> statement-breakpoint
DROP TRIGGER `shop_settings_version_update`;
--> statement-breakpoint
CREATE TRIGGER `shop_settings_version_insert` AFTER INSERT ON `shop_settings` WHEN json_array_length(NEW.`settings`, '$.legal_pages') > 0 OR json_type(NEW.`settings`, '$.look') IS NOT NULL OR json_type(NEW.`settings`, '$.max_item_quantity') IS NOT NULL BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `shop_settings_version_update` AFTER UPDATE OF `settings` ON `shop_settings` WHEN json_extract(OLD.`settings`, '$.legal_pages', '$.look', '$.max_item_quantity') IS NOT json_extract(NEW.`settings`, '$.legal_pages', '$.look', '$.max_item_quantity') BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
