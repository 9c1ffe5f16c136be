DROP INDEX `media_files_folder`;--> statement-breakpoint
CREATE INDEX `media_files_folder` ON `media_files` (`site_id`,`folder_id`,`trashed_at`);