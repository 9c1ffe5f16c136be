// The storefront in Vietnamese.
import type { Words } from "./strings"

export const vi: Words = {
  skip: "Chuyển đến nội dung",
  menu: "Chính",
  footer: "Chân trang",
  pagination: "Các trang",
  breadcrumb: "Bạn đang ở",
  home: "Trang chủ",
  previous: "Trước",
  next: "Sau",
  pageOf: (page, last) => `Trang ${page} / ${last}`,
  by: (author) => `bởi ${author}`,
  poweredBy: "Vận hành bởi",
  opening: "Sắp mở cửa: chúng tôi đang bày những món đầu tiên.",
  notFound: "Trang này không có ở đây.",
  notFoundHint: "Có thể trang đã được chuyển đi hoặc địa chỉ bị gõ sai.",
  backHome: "Về trang chủ",
  preparing: "Chúng tôi đang chuẩn bị.",
  preparingHint: "Cửa hàng sẽ mở sau giây lát. Trang này sẽ tự kiểm tra lại.",
  suspended: "Cửa hàng này tạm đóng cửa.",
  suspendedHint: "Nếu đây là cửa hàng của bạn, hãy đăng nhập vào nền tảng để mở lại.",
  unavailable: "Hiện không thể hiển thị cửa hàng này.",
  unavailableHint: "Chúng tôi đang kiểm tra. Vui lòng thử lại sau.",
  unknownHost: "Không có cửa hàng nào ở đây.",
  unknownHostHint: (host) => `Không có gì tại ${host}. Vui lòng kiểm tra địa chỉ.`,
}
