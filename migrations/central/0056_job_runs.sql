ALTER TABLE `cron_runs` ADD `runs` text;--> statement-breakpoint
ALTER TABLE `locks` ADD `attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `locks` ADD `last_error` text;--> statement-breakpoint
ALTER TABLE `figures` ADD `progress` text;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_recovering` ON `webhook_endpoints` (`id`) WHERE recovery is not null;--> statement-breakpoint
INSERT INTO `cron_runs` (`part`, `started_at`, `duration_ms`, `runs`)
SELECT '*', max(`started_at`), 0, json_group_object(`part`, json_object('startedAt', `started_at`, 'durationMs', `duration_ms`, 'error', `error`))
FROM `cron_runs` HAVING count(*) > 0;
