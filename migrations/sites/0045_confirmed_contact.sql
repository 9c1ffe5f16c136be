-- The address that gets mails about orders and messages, once its holder has confirmed it. Addresses from before this
-- migration count as confirmed, also those of owners who get these mails because the shop has no contact address. A site
-- that is being migrated is locked, so its address has to be confirmed.
ALTER TABLE `shop_settings` ADD `confirmed_email` text;--> statement-breakpoint
UPDATE `shop_settings` SET `confirmed_email` = lower(json_extract(`settings`, '$.contact_email'))
  WHERE json_extract(`settings`, '$.contact_email') IS NOT NULL
    AND `site_id` NOT IN (SELECT `site_id` FROM `held_sites` WHERE `open` = 0);
--> statement-breakpoint
INSERT INTO `shop_settings` (`site_id`, `settings`, `revision`, `updated_at`, `confirmed_email`)
  SELECT `site_id`, '{}', 0, 0, `email_key` FROM (
    SELECT `site_id`, `email_key`, `email_verified_at`, min(`id`) FROM `users`
      WHERE `is_staff` = 1 AND coalesce(`role`, 'owner') = 'owner' AND `site_id` <> 'central' GROUP BY `site_id`
  )
  WHERE `email_verified_at` IS NULL AND `site_id` NOT IN (SELECT `site_id` FROM `held_sites` WHERE `open` = 0)
  ON CONFLICT DO UPDATE SET `confirmed_email` = excluded.`confirmed_email`
    WHERE `confirmed_email` IS NULL AND json_extract(`settings`, '$.contact_email') IS NULL;
