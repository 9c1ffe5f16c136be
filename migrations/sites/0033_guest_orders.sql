ALTER TABLE `orders` ADD `attached_at` integer;--> statement-breakpoint
CREATE INDEX `orders_guest_email` ON `orders` (`site_id`,lower(customer_email)) WHERE user_id = 0;--> statement-breakpoint
CREATE INDEX `contact_messages_user` ON `contact_messages` (`site_id`,`user_id`) WHERE user_id <> 0;--> statement-breakpoint
CREATE TRIGGER `orders_count_user` AFTER UPDATE OF `user_id` ON `orders` WHEN OLD.`user_id` <> NEW.`user_id` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'orders:' || OLD.`user_id` AND `filter` = '';
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'orders:' || NEW.`user_id`, '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
