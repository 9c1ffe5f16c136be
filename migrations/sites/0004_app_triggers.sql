-- A change that must touch a row and does not: inserting a reason here aborts the whole batch with that reason.
CREATE VIEW `abort_batch` AS SELECT '' AS `reason`;
--> statement-breakpoint
CREATE TRIGGER `abort_batch_insert` INSTEAD OF INSERT ON `abort_batch` BEGIN
  SELECT RAISE(ABORT, 'LOST_RACE');
END;
--> statement-breakpoint

-- How many products a site has, in all and of each status.
CREATE TRIGGER `products_count_insert` AFTER INSERT ON `products` BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'products', '', 1),
    (NEW.`site_id`, 'products', NEW.`status`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `products_count_update` AFTER UPDATE OF `status` ON `products` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'products' AND `filter` = OLD.`status`;
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'products', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `products_count_delete` AFTER DELETE ON `products` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'products' AND `filter` IN ('', OLD.`status`);
END;
--> statement-breakpoint

-- How many galleries a site has, in all and of each status.
CREATE TRIGGER `galleries_count_insert` AFTER INSERT ON `galleries` BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'galleries', '', 1),
    (NEW.`site_id`, 'galleries', NEW.`status`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `galleries_count_update` AFTER UPDATE OF `status` ON `galleries` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'galleries' AND `filter` = OLD.`status`;
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'galleries', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `galleries_count_delete` AFTER DELETE ON `galleries` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'galleries' AND `filter` IN ('', OLD.`status`);
END;
--> statement-breakpoint

-- How many messages visitors wrote, in all and of each status.
CREATE TRIGGER `contact_messages_count_insert` AFTER INSERT ON `contact_messages` BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'contact', '', 1),
    (NEW.`site_id`, 'contact', NEW.`status`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_count_update` AFTER UPDATE OF `status` ON `contact_messages` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'contact' AND `filter` = OLD.`status`;
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'contact', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `contact_messages_count_delete` AFTER DELETE ON `contact_messages` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'contact' AND `filter` IN ('', OLD.`status`);
END;
--> statement-breakpoint

-- How many orders a site has, in all and of each calendar month, and how many each user has.
CREATE TRIGGER `orders_count_insert` AFTER INSERT ON `orders` BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'orders', '', 1),
    (NEW.`site_id`, 'orders', strftime('%Y-%m', NEW.`created_at` / 1000, 'unixepoch'), 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'orders:' || NEW.`user_id`, '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `orders_count_delete` AFTER DELETE ON `orders` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'orders' AND `filter` IN ('', strftime('%Y-%m', OLD.`created_at` / 1000, 'unixepoch'));
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'orders:' || OLD.`user_id` AND `filter` = '';
END;
--> statement-breakpoint

-- How many reviews a product has, in all and of each rating. The reviews of a product go with it.
CREATE TRIGGER `reviews_count_insert` AFTER INSERT ON `reviews` BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'reviews:' || NEW.`product_id`, '', 1),
    (NEW.`site_id`, 'reviews:' || NEW.`product_id`, CAST(NEW.`rating` AS TEXT), 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `reviews_count_update` AFTER UPDATE OF `rating` ON `reviews` WHEN OLD.`rating` <> NEW.`rating` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'reviews:' || OLD.`product_id` AND `filter` = CAST(OLD.`rating` AS TEXT);
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'reviews:' || NEW.`product_id`, CAST(NEW.`rating` AS TEXT), 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `reviews_count_delete` AFTER DELETE ON `reviews` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'reviews:' || OLD.`product_id` AND `filter` IN ('', CAST(OLD.`rating` AS TEXT));
END;
--> statement-breakpoint
CREATE TRIGGER `reviews_of_product_delete` AFTER DELETE ON `products` BEGIN
  DELETE FROM `reviews` WHERE `site_id` = OLD.`site_id` AND `product_id` = OLD.`id`;
  DELETE FROM `counters` WHERE `site_id` = OLD.`site_id` AND `list` = 'reviews:' || OLD.`id`;
END;
--> statement-breakpoint

-- Products by any substring of three characters or more. The site is a column of the index, in brackets so that the id of
-- no site is part of another, because a search must not wade through the matches of other sites.
CREATE VIRTUAL TABLE `products_search` USING fts5(`site`, `text`, content='', contentless_delete=1, tokenize='trigram');
--> statement-breakpoint
CREATE TRIGGER `products_search_insert` AFTER INSERT ON `products` BEGIN
  INSERT INTO `products_search` (rowid, `site`, `text`) VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', NEW.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `products_search_update` AFTER UPDATE OF `search_text` ON `products` WHEN OLD.`search_text` <> NEW.`search_text` BEGIN
  DELETE FROM `products_search` WHERE rowid = OLD.`id`;
  INSERT INTO `products_search` (rowid, `site`, `text`) VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', NEW.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `products_search_delete` AFTER DELETE ON `products` BEGIN
  DELETE FROM `products_search` WHERE rowid = OLD.`id`;
END;
