-- A site that has files has a version: without one a delete could not move it. A file that is new changes nothing that was kept.
CREATE TRIGGER `media_files_version_insert` AFTER INSERT ON `media_files` BEGIN
  INSERT INTO `counters` VALUES (NEW.`site_id`, 'version', '', 1) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
INSERT INTO `counters` SELECT DISTINCT `site_id`, 'version', '', 1 FROM `media_files` WHERE true ON CONFLICT DO NOTHING;
