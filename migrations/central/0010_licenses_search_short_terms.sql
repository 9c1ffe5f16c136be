-- contract: nothing of the release before this one uses what goes here.
-- As for stores: the index takes the texts as they come, folded. Between their fields stand two marks that no field and no
-- search can hold, so that every character begins a run of three.
UPDATE `licenses` SET `search_text` = replace(`search_text`, char(10), char(1, 1)) || char(1, 1);
--> statement-breakpoint
DROP TABLE `licenses_search`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `licenses_search` USING fts5(`search_text`, content='licenses', content_rowid='id', tokenize='trigram case_sensitive 1');
--> statement-breakpoint
INSERT INTO `licenses_search` (`licenses_search`) VALUES ('rebuild');
--> statement-breakpoint

-- The runs themselves, for terms shorter than one: a license holds a term when it holds a run that begins with it.
CREATE VIRTUAL TABLE `licenses_runs` USING fts5vocab(`licenses_search`, 'instance');
