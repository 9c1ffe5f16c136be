CREATE TABLE `contact_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`phone` text,
	`subject` text,
	`message` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `contact_messages_site` ON `contact_messages` (`site_id`);--> statement-breakpoint
CREATE INDEX `contact_messages_status` ON `contact_messages` (`site_id`,`status`);--> statement-breakpoint
CREATE TABLE `galleries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`image` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `galleries_slug` ON `galleries` (`site_id`,`slug`);--> statement-breakpoint
CREATE INDEX `galleries_id` ON `galleries` (`site_id`,`status`);--> statement-breakpoint
CREATE TABLE `pictures` (
	`site_id` text NOT NULL,
	`gallery_id` integer NOT NULL,
	`position` integer NOT NULL,
	`image` text NOT NULL,
	`caption` text,
	PRIMARY KEY(`site_id`, `gallery_id`, `position`)
);
--> statement-breakpoint
CREATE TABLE `order_items` (
	`site_id` text NOT NULL,
	`order_id` integer NOT NULL,
	`position` integer NOT NULL,
	`product_id` integer NOT NULL,
	`name` text NOT NULL,
	`price_cents` integer NOT NULL,
	`quantity` integer NOT NULL,
	PRIMARY KEY(`site_id`, `order_id`, `position`)
);
--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`status` text NOT NULL,
	`currency` text NOT NULL,
	`total_cents` integer NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `orders_site` ON `orders` (`site_id`);--> statement-breakpoint
CREATE INDEX `orders_user` ON `orders` (`site_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `products` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`image` text,
	`price_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`stock` integer,
	`status` text NOT NULL,
	`search_text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "products_stock" CHECK("products"."stock" >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `products_slug` ON `products` (`site_id`,`slug`);--> statement-breakpoint
CREATE INDEX `products_id` ON `products` (`site_id`,`status`);--> statement-breakpoint
CREATE INDEX `products_created` ON `products` (`site_id`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `products_name` ON `products` (`site_id`,`status`,`name_key`);--> statement-breakpoint
CREATE INDEX `products_price` ON `products` (`site_id`,`status`,`price_cents`);--> statement-breakpoint
CREATE TABLE `reviews` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` text NOT NULL,
	`product_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`rating` integer NOT NULL,
	`comment` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "reviews_rating" CHECK("reviews"."rating" between 1 and 5)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reviews_user` ON `reviews` (`site_id`,`product_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `reviews_product` ON `reviews` (`site_id`,`product_id`);