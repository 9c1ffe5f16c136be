-- How many posts and pages a site has of each status.
CREATE TRIGGER `posts_count_insert` AFTER INSERT ON `posts` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'posts', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `posts_count_update` AFTER UPDATE OF `status` ON `posts` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'posts' AND `filter` = OLD.`status`;
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'posts', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `posts_count_delete` AFTER DELETE ON `posts` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'posts' AND `filter` = OLD.`status`;
END;
--> statement-breakpoint

CREATE TRIGGER `pages_count_insert` AFTER INSERT ON `pages` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'pages', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_count_update` AFTER UPDATE OF `status` ON `pages` WHEN OLD.`status` <> NEW.`status` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'pages' AND `filter` = OLD.`status`;
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'pages', NEW.`status`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_count_delete` AFTER DELETE ON `pages` BEGIN
  UPDATE `counters` SET `total` = `total` - 1
    WHERE `site_id` = OLD.`site_id` AND `list` = 'pages' AND `filter` = OLD.`status`;
END;
--> statement-breakpoint

-- How many categories and tags a site has.
CREATE TRIGGER `categories_count_insert` AFTER INSERT ON `categories` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'categories', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `categories_count_delete` AFTER DELETE ON `categories` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'categories' AND `filter` = '';
END;
--> statement-breakpoint

CREATE TRIGGER `tags_count_insert` AFTER INSERT ON `tags` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'tags', '', 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tags_count_delete` AFTER DELETE ON `tags` BEGIN
  UPDATE `counters` SET `total` = `total` - 1 WHERE `site_id` = OLD.`site_id` AND `list` = 'tags' AND `filter` = '';
END;
--> statement-breakpoint

-- Posts by any substring of three characters or more. The site is a column of the index, in brackets so that the id of no
-- site is part of another, because a search must not wade through the matches of other sites.
CREATE VIRTUAL TABLE `posts_search` USING fts5(`site`, `text`, content='', contentless_delete=1, tokenize='trigram');
--> statement-breakpoint
CREATE TRIGGER `posts_search_insert` AFTER INSERT ON `posts` BEGIN
  INSERT INTO `posts_search` (rowid, `site`, `text`) VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', NEW.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `posts_search_update` AFTER UPDATE OF `search_text` ON `posts` WHEN OLD.`search_text` <> NEW.`search_text` BEGIN
  DELETE FROM `posts_search` WHERE rowid = OLD.`id`;
  INSERT INTO `posts_search` (rowid, `site`, `text`) VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', NEW.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `posts_search_delete` AFTER DELETE ON `posts` BEGIN
  DELETE FROM `posts_search` WHERE rowid = OLD.`id`;
END;
--> statement-breakpoint

-- How many bytes the media library of a site holds, the trash included.
CREATE TRIGGER `media_files_size_insert` AFTER INSERT ON `media_files` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'media_bytes', '', NEW.`size`)
    ON CONFLICT DO UPDATE SET `total` = `total` + NEW.`size`;
END;
--> statement-breakpoint
CREATE TRIGGER `media_files_size_delete` AFTER DELETE ON `media_files` BEGIN
  UPDATE `counters` SET `total` = `total` - OLD.`size`
    WHERE `site_id` = OLD.`site_id` AND `list` = 'media_bytes' AND `filter` = '';
END;
