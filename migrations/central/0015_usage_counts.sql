ALTER TABLE `usage_snapshots` ADD `counts` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
UPDATE `usage_snapshots` SET `counts` = json_object('products', `products`, 'orders', `orders`, 'storage_bytes', `storage_bytes`, 'staff_users', `staff_users`);
