-- Searches find letters with and without accents. The tokenizer folds all but four letters, which the triggers replace.
-- Pages get an index like those of posts and products.
DROP TRIGGER `posts_search_insert`;
--> statement-breakpoint
DROP TRIGGER `posts_search_update`;
--> statement-breakpoint
DROP TABLE `posts_search`;
--> statement-breakpoint
DROP TRIGGER `products_search_insert`;
--> statement-breakpoint
DROP TRIGGER `products_search_update`;
--> statement-breakpoint
DROP TABLE `products_search`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `posts_search` USING fts5(`site`, `text`, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');
--> statement-breakpoint
INSERT INTO `posts_search` (rowid, `site`, `text`) SELECT `id`, '<' || `site_id` || '>', replace(replace(replace(replace(`search_text`, 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae') FROM `posts`;
--> statement-breakpoint
CREATE TRIGGER `posts_search_insert` AFTER INSERT ON `posts` BEGIN
  INSERT INTO `posts_search` (rowid, `site`, `text`)
    VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', replace(replace(replace(replace(NEW.`search_text`, 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'));
END;
--> statement-breakpoint
CREATE TRIGGER `posts_search_update` AFTER UPDATE OF `search_text` ON `posts` WHEN OLD.`search_text` <> NEW.`search_text` BEGIN
  DELETE FROM `posts_search` WHERE rowid = OLD.`id`;
  INSERT INTO `posts_search` (rowid, `site`, `text`)
    VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', replace(replace(replace(replace(NEW.`search_text`, 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'));
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `products_search` USING fts5(`site`, `text`, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');
--> statement-breakpoint
INSERT INTO `products_search` (rowid, `site`, `text`) SELECT `id`, '<' || `site_id` || '>', replace(replace(replace(replace(`search_text`, 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae') FROM `products`;
--> statement-breakpoint
CREATE TRIGGER `products_search_insert` AFTER INSERT ON `products` BEGIN
  INSERT INTO `products_search` (rowid, `site`, `text`)
    VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', replace(replace(replace(replace(NEW.`search_text`, 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'));
END;
--> statement-breakpoint
CREATE TRIGGER `products_search_update` AFTER UPDATE OF `search_text` ON `products` WHEN OLD.`search_text` <> NEW.`search_text` BEGIN
  DELETE FROM `products_search` WHERE rowid = OLD.`id`;
  INSERT INTO `products_search` (rowid, `site`, `text`)
    VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', replace(replace(replace(replace(NEW.`search_text`, 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'));
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `pages_search` USING fts5(`site`, `text`, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');
--> statement-breakpoint
INSERT INTO `pages_search` (rowid, `site`, `text`) SELECT `id`, '<' || `site_id` || '>', replace(replace(replace(replace(replace(replace(replace(replace(`name_key` || char(10) || coalesce(`description`, ''), 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'), 'Đ', 'd'), 'ẞ', 'ss'), 'Œ', 'oe'), 'Æ', 'ae') FROM `pages`;
--> statement-breakpoint
CREATE TRIGGER `pages_search_insert` AFTER INSERT ON `pages` BEGIN
  INSERT INTO `pages_search` (rowid, `site`, `text`)
    VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', replace(replace(replace(replace(replace(replace(replace(replace(NEW.`name_key` || char(10) || coalesce(NEW.`description`, ''), 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'), 'Đ', 'd'), 'ẞ', 'ss'), 'Œ', 'oe'), 'Æ', 'ae'));
END;
--> statement-breakpoint
CREATE TRIGGER `pages_search_update` AFTER UPDATE OF `name_key`, `description` ON `pages` WHEN OLD.`name_key` <> NEW.`name_key` OR OLD.`description` IS NOT NEW.`description` BEGIN
  DELETE FROM `pages_search` WHERE rowid = OLD.`id`;
  INSERT INTO `pages_search` (rowid, `site`, `text`)
    VALUES (NEW.`id`, '<' || NEW.`site_id` || '>', replace(replace(replace(replace(replace(replace(replace(replace(NEW.`name_key` || char(10) || coalesce(NEW.`description`, ''), 'đ', 'd'), 'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'), 'Đ', 'd'), 'ẞ', 'ss'), 'Œ', 'oe'), 'Æ', 'ae'));
END;
--> statement-breakpoint
CREATE TRIGGER `pages_search_delete` AFTER DELETE ON `pages` BEGIN
  DELETE FROM `pages_search` WHERE rowid = OLD.`id`;
END;
