-- The avatars of users count towards the bytes that a site stores, as the files of its media library do, and towards a share of their own.
CREATE TRIGGER `users_avatar_size_insert` AFTER INSERT ON `users` WHEN NEW.`avatar_size` > 0 BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'media_bytes', '', NEW.`avatar_size`), (NEW.`site_id`, 'avatar_bytes', '', NEW.`avatar_size`)
    ON CONFLICT DO UPDATE SET `total` = `total` + NEW.`avatar_size`;
END;
--> statement-breakpoint
CREATE TRIGGER `users_avatar_size_update` AFTER UPDATE OF `avatar_size` ON `users` WHEN OLD.`avatar_size` IS NOT NEW.`avatar_size` BEGIN
  INSERT INTO `counters` VALUES
    (NEW.`site_id`, 'media_bytes', '', coalesce(NEW.`avatar_size`, 0)), (NEW.`site_id`, 'avatar_bytes', '', coalesce(NEW.`avatar_size`, 0))
    ON CONFLICT DO UPDATE SET `total` = `total` + coalesce(NEW.`avatar_size`, 0) - coalesce(OLD.`avatar_size`, 0);
END;
--> statement-breakpoint
CREATE TRIGGER `users_avatar_size_delete` AFTER DELETE ON `users` WHEN OLD.`avatar_size` > 0 BEGIN
  UPDATE `counters` SET `total` = `total` - OLD.`avatar_size`
    WHERE `site_id` = OLD.`site_id` AND `list` IN ('media_bytes', 'avatar_bytes') AND `filter` = '';
END;
