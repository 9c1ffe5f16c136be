CREATE TABLE `provider_prices` (
	`price` text PRIMARY KEY NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`interval` text NOT NULL,
	`reported_at` integer NOT NULL
);
