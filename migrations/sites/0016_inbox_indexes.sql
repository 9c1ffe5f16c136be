-- contract: nothing of the release before this one uses what goes here.
DROP INDEX `notification_recipients_once`;--> statement-breakpoint
DROP INDEX `notification_recipients_inbox`;--> statement-breakpoint
DROP INDEX `notification_recipients_unread`;--> statement-breakpoint
DELETE FROM `counters` WHERE `list` LIKE 'inbox:%';
