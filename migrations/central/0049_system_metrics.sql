CREATE TABLE `system_metrics` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`faults` text NOT NULL,
	`data` text,
	`detail` text
);
