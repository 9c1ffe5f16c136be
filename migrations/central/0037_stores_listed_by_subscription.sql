-- A list of stores by plan is read through an index in an order of its own, which no index of subscriptions has.
-- What it needs of a subscription therefore stands with the store.
UPDATE `stores` SET
  `plan` = (SELECT `subscriptions`.`plan` ->> '$.slug' FROM `subscriptions` WHERE `store_id` = `stores`.`id`),
  `billing` = coalesce((SELECT `provider` FROM `subscriptions` WHERE `store_id` = `stores`.`id`), 'none');
--> statement-breakpoint
CREATE TRIGGER `subscriptions_listed_insert` AFTER INSERT ON `subscriptions` BEGIN
  UPDATE `stores` SET `plan` = NEW.`plan` ->> '$.slug', `billing` = NEW.`provider` WHERE `id` = NEW.`store_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriptions_listed_update` AFTER UPDATE OF `plan`, `provider` ON `subscriptions`
  WHEN OLD.`provider` <> NEW.`provider` OR OLD.`plan` ->> '$.slug' IS NOT NEW.`plan` ->> '$.slug' BEGIN
  UPDATE `stores` SET `plan` = NEW.`plan` ->> '$.slug', `billing` = NEW.`provider` WHERE `id` = NEW.`store_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriptions_listed_delete` AFTER DELETE ON `subscriptions` BEGIN
  UPDATE `stores` SET `plan` = NULL, `billing` = 'none' WHERE `id` = OLD.`store_id`;
END;
