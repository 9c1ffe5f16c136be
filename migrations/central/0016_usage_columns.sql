-- contract: nothing of the release before this one uses what goes here.
ALTER TABLE `usage_snapshots` DROP COLUMN `products`;--> statement-breakpoint
ALTER TABLE `usage_snapshots` DROP COLUMN `orders`;--> statement-breakpoint
ALTER TABLE `usage_snapshots` DROP COLUMN `storage_bytes`;--> statement-breakpoint
ALTER TABLE `usage_snapshots` DROP COLUMN `staff_users`;