-- contract: nothing of the release before this one uses what goes here.
DROP INDEX `license_activations_domain`;--> statement-breakpoint
CREATE INDEX `license_activations_held` ON `license_activations` (`license_id`,`is_active`,`domain`,`ip`);