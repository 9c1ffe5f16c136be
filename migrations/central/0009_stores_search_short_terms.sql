-- contract: nothing of the release before this one uses what goes here.
-- The index takes texts as they are: they come folded, and a fold of its own would find what a comparison of texts does not.
-- Between the fields stand two marks that no field and no search can hold, so that every character begins a run of three.
UPDATE `stores` SET `search_text` = replace(`search_text`, char(10), char(1, 1)) || char(1, 1);
--> statement-breakpoint
DROP TABLE `stores_search`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `stores_search` USING fts5(`search_text`, content='stores', content_rowid='seq', tokenize='trigram case_sensitive 1');
--> statement-breakpoint
INSERT INTO `stores_search` (`stores_search`) VALUES ('rebuild');
--> statement-breakpoint

-- The runs themselves, for terms shorter than one: a store holds a term when it holds a run that begins with it.
CREATE VIRTUAL TABLE `stores_runs` USING fts5vocab(`stores_search`, 'instance');
