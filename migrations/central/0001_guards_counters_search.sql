-- A change that must touch a row and does not: inserting a reason here aborts the whole batch with that reason.
CREATE VIEW `abort_batch` AS SELECT '' AS `reason`;
--> statement-breakpoint
CREATE TRIGGER `abort_batch_insert` INSTEAD OF INSERT ON `abort_batch` BEGIN
  SELECT RAISE(ABORT, 'LOST_RACE');
END;
--> statement-breakpoint

-- How many stores there are, in all and by status.
CREATE TRIGGER `stores_count_insert` AFTER INSERT ON `stores` BEGIN
  INSERT INTO `counters` VALUES ('stores', '', 1), ('stores', NEW.`status`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `stores_count_update` AFTER UPDATE OF `status` ON `stores` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'stores' AND `filter` = OLD.`status`;
  INSERT INTO `counters` VALUES ('stores', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `stores_count_delete` AFTER DELETE ON `stores` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'stores' AND `filter` IN ('', OLD.`status`);
END;
--> statement-breakpoint

-- Stores by any substring of three characters or more of their id, name and owner e-mail.
CREATE VIRTUAL TABLE `stores_search` USING fts5(`search_text`, content='stores', content_rowid='seq', tokenize='trigram');
--> statement-breakpoint
CREATE TRIGGER `stores_search_insert` AFTER INSERT ON `stores` BEGIN
  INSERT INTO `stores_search` (rowid, `search_text`) VALUES (NEW.`seq`, NEW.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `stores_search_update` AFTER UPDATE OF `search_text` ON `stores` WHEN OLD.`search_text` <> NEW.`search_text` BEGIN
  INSERT INTO `stores_search` (`stores_search`, rowid, `search_text`) VALUES ('delete', OLD.`seq`, OLD.`search_text`);
  INSERT INTO `stores_search` (rowid, `search_text`) VALUES (NEW.`seq`, NEW.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `stores_search_delete` AFTER DELETE ON `stores` BEGIN
  INSERT INTO `stores_search` (`stores_search`, rowid, `search_text`) VALUES ('delete', OLD.`seq`, OLD.`search_text`);
END;
--> statement-breakpoint

-- How many audit entries each incarnation of a store has.
CREATE TRIGGER `audit_entries_count_insert` AFTER INSERT ON `audit_entries` BEGIN
  INSERT INTO `counters` VALUES ('audit:' || NEW.`store_seq`, '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint

-- How many webhook endpoints there are.
CREATE TRIGGER `webhook_endpoints_count_insert` AFTER INSERT ON `webhook_endpoints` BEGIN
  INSERT INTO `counters` VALUES ('webhook_endpoints', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_count_delete` AFTER DELETE ON `webhook_endpoints` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `list` = 'webhook_endpoints' AND `filter` = '';
  DELETE FROM `counters` WHERE `list` = 'deliveries:' || OLD.`id`;
END;
--> statement-breakpoint

-- How many deliveries each endpoint has: in all, by status, by event, by both.
CREATE TRIGGER `webhook_deliveries_count_insert` AFTER INSERT ON `webhook_deliveries` BEGIN
  INSERT INTO `counters` VALUES
    ('deliveries:' || NEW.`endpoint_id`, '', 1),
    ('deliveries:' || NEW.`endpoint_id`, NEW.`status` || '|', 1),
    ('deliveries:' || NEW.`endpoint_id`, '|' || NEW.`event`, 1),
    ('deliveries:' || NEW.`endpoint_id`, NEW.`status` || '|' || NEW.`event`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_deliveries_count_update` AFTER UPDATE OF `status` ON `webhook_deliveries` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `list` = 'deliveries:' || OLD.`endpoint_id` AND `filter` IN (OLD.`status` || '|', OLD.`status` || '|' || OLD.`event`);
  INSERT INTO `counters` VALUES
    ('deliveries:' || NEW.`endpoint_id`, NEW.`status` || '|', 1),
    ('deliveries:' || NEW.`endpoint_id`, NEW.`status` || '|' || NEW.`event`, 1)
    ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `webhook_deliveries_count_delete` AFTER DELETE ON `webhook_deliveries` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `list` = 'deliveries:' || OLD.`endpoint_id`
      AND `filter` IN ('', OLD.`status` || '|', '|' || OLD.`event`, OLD.`status` || '|' || OLD.`event`);
END;
