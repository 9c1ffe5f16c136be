-- How many licensed products there are.
CREATE TRIGGER `license_products_count_insert` AFTER INSERT ON `license_products` BEGIN
  INSERT INTO `counters` VALUES ('license_products', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint

-- How many licenses there are: in all, of a product, of a client, of both.
CREATE TRIGGER `licenses_count_insert` AFTER INSERT ON `licenses` BEGIN
  INSERT INTO `counters` SELECT 'licenses', `value`, 1
    FROM json_each(json_array('', 'p:' || NEW.`product_id`, 'c:' || NEW.`customer_key`, 'p:' || NEW.`product_id` || '|c:' || NEW.`customer_key`))
    WHERE `value` IS NOT NULL
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint

CREATE TRIGGER `licenses_count_update` AFTER UPDATE OF `product_id`, `customer_key` ON `licenses`
WHEN OLD.`product_id` <> NEW.`product_id` OR OLD.`customer_key` IS NOT NEW.`customer_key` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'licenses'
    AND `filter` IN ('', 'p:' || OLD.`product_id`, 'c:' || OLD.`customer_key`, 'p:' || OLD.`product_id` || '|c:' || OLD.`customer_key`);
  INSERT INTO `counters` SELECT 'licenses', `value`, 1
    FROM json_each(json_array('', 'p:' || NEW.`product_id`, 'c:' || NEW.`customer_key`, 'p:' || NEW.`product_id` || '|c:' || NEW.`customer_key`))
    WHERE `value` IS NOT NULL
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint

CREATE TRIGGER `licenses_count_delete` AFTER DELETE ON `licenses` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'licenses'
    AND `filter` IN ('', 'p:' || OLD.`product_id`, 'c:' || OLD.`customer_key`, 'p:' || OLD.`product_id` || '|c:' || OLD.`customer_key`);
END;
--> statement-breakpoint

-- Licenses by any substring of three characters or more of their code, client, e-mail and invoice.
CREATE VIRTUAL TABLE `licenses_search` USING fts5(`search_text`, content='licenses', content_rowid='id', tokenize='trigram');
--> statement-breakpoint

CREATE TRIGGER `licenses_search_insert` AFTER INSERT ON `licenses` BEGIN
  INSERT INTO `licenses_search` (rowid, `search_text`) VALUES (NEW.`id`, NEW.`search_text`);
END;
--> statement-breakpoint

CREATE TRIGGER `licenses_search_update` AFTER UPDATE OF `search_text` ON `licenses` WHEN OLD.`search_text` <> NEW.`search_text` BEGIN
  INSERT INTO `licenses_search` (`licenses_search`, rowid, `search_text`) VALUES ('delete', OLD.`id`, OLD.`search_text`);
  INSERT INTO `licenses_search` (rowid, `search_text`) VALUES (NEW.`id`, NEW.`search_text`);
END;
--> statement-breakpoint

CREATE TRIGGER `licenses_search_delete` AFTER DELETE ON `licenses` BEGIN
  INSERT INTO `licenses_search` (`licenses_search`, rowid, `search_text`) VALUES ('delete', OLD.`id`, OLD.`search_text`);
END;
--> statement-breakpoint

-- How many activations each license has on, and was ever given, and how many there are in all, on and off.
CREATE TRIGGER `license_activations_count_insert` AFTER INSERT ON `license_activations` BEGIN
  UPDATE `licenses` SET `active_uses` = `active_uses` + NEW.`is_active`, `made_uses` = `made_uses` + 1 WHERE `id` = NEW.`license_id`;
  INSERT INTO `counters` VALUES ('license_activations', '', 1), ('license_activations', NEW.`is_active`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint

CREATE TRIGGER `license_activations_count_update` AFTER UPDATE OF `is_active` ON `license_activations` WHEN OLD.`is_active` <> NEW.`is_active` BEGIN
  UPDATE `licenses` SET `active_uses` = `active_uses` + NEW.`is_active` - OLD.`is_active` WHERE `id` = NEW.`license_id`;
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'license_activations' AND `filter` = CAST(OLD.`is_active` AS TEXT);
  INSERT INTO `counters` VALUES ('license_activations', NEW.`is_active`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint

CREATE TRIGGER `license_activations_count_delete` AFTER DELETE ON `license_activations` BEGIN
  UPDATE `licenses` SET `active_uses` = `active_uses` - OLD.`is_active`, `made_uses` = `made_uses` - 1 WHERE `id` = OLD.`license_id`;
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `list` = 'license_activations' AND `filter` IN ('', CAST(OLD.`is_active` AS TEXT));
END;
