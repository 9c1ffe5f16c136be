-- contract: the release before this one answers without these indexes too, and reads more rows until it is replaced.
DROP INDEX `audit_entries_store`;--> statement-breakpoint
DROP INDEX `audit_entries_actor`;--> statement-breakpoint
DROP INDEX `audit_entries_request`;--> statement-breakpoint
DROP INDEX `audit_entries_created`;--> statement-breakpoint
DROP INDEX `audit_entries_subject`;--> statement-breakpoint
CREATE INDEX `audit_entries_subject` ON `audit_entries` (case when store_seq > 0 then 'store ' || store_seq else subject_id end,`id`) WHERE case when store_seq > 0 then 'store ' || store_seq else subject_id end is not null;--> statement-breakpoint
DROP INDEX `stores_status_name`;--> statement-breakpoint
DROP INDEX `stores_theme_name`;--> statement-breakpoint
DROP INDEX `stores_plan_name`;--> statement-breakpoint
DROP INDEX `stores_billing_name`;
