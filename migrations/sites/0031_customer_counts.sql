-- How many customers a site has: users who are not staff.
CREATE TRIGGER `users_customers_insert` AFTER INSERT ON `users` WHEN NEW.`is_staff` = 0 BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'customers', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `users_customers_update` AFTER UPDATE OF `is_staff` ON `users` WHEN OLD.`is_staff` <> NEW.`is_staff` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'customers', '', 1 - NEW.`is_staff`)
    ON CONFLICT DO UPDATE SET `total` = `total` + OLD.`is_staff` - NEW.`is_staff`;
END;
--> statement-breakpoint
CREATE TRIGGER `users_customers_delete` AFTER DELETE ON `users` WHEN OLD.`is_staff` = 0 BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'customers' AND `filter` = '';
END;
--> statement-breakpoint
INSERT INTO `counters` (`site_id`, `list`, `filter`, `total`)
  SELECT `site_id`, 'customers', '', count(*) FROM `users` WHERE `is_staff` = 0 GROUP BY `site_id`;
